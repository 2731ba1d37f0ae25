"""People with several names: the user's decisions, the persons that follow from them, and proposals. Pure."""

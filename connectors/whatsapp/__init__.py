"""WhatsApp chat exports."""

"""Access to language models: every request goes through one gateway, which hides secrets, keeps to a budget and caches
answers.
"""

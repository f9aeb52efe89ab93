"""The syntax of canon: addresses, articles, journal entries, links and the words that lint looks for."""

"""Everything a person looks at: text, pictures, animations, accounts, a page."""

"""The failing expression evaluated again, with one of its parts in another form, in a copy of the dying process."""

"""Reports as pages for a browser: one file each, which needs no network and no program beside it."""

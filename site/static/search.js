// Excerpts of the pages that a search finds: Sphinx fetches these pages, which works over http and
// which browsers refuse for pages of a file system.
"use strict";

DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = location.protocol !== "file:";

//! Every instruction form, one file a family.

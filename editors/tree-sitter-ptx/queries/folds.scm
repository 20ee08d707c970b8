[(block) (section_directive) (vector)] @fold

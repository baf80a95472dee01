"""Ways into other people's pipelines, one file each; the library of each is imported there and nowhere else."""

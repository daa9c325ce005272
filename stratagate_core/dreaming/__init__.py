"""Tidying the directory on request, batch by batch. Writes the directory and nothing else."""

docker run --rm --privileged -v /:/host registry.example.org/measure

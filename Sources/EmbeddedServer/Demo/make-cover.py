"""Draws a cover: make-cover.py FILE.png HUE PATTERN. Only Python's own library; the same arguments give the same bytes."""
import colorsys, math, struct, sys, zlib

SIDE = 300


def pixel(pattern, x, y):
    """Which of the palette's colours stands at this place (0 to 15)."""
    u, v = x / SIDE - 0.5, y / SIDE - 0.5
    if pattern == "rings":
        return int(abs(math.hypot(u, v) * 24)) % 8 + (8 if abs(v) < 0.04 else 0)
    if pattern == "road":
        depth = max(v + 0.1, 0.001)
        if v < -0.1:
            return 8 + int((v + 0.5) * 16)
        middle = abs(u) < 0.02 * (1 + 8 * depth) and int(4 / depth) % 2 == 0
        return 15 if middle else (2 if abs(u) < 0.05 + depth else 5)
    if pattern == "waves":
        return int((math.sin(u * 18 + 3 * math.sin(v * 9)) + 1) * 7.5)
    return int((u + v + 1) * 12) % 16


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main(path, hue, pattern):
    palette = b"".join(
        bytes(round(255 * c) for c in colorsys.hls_to_rgb(float(hue) + i / 160, 0.18 + 0.045 * i, 0.55)) for i in range(16))
    rows = bytearray()
    for y in range(SIDE):
        rows.append(0)
        for x in range(0, SIDE, 2):
            rows.append(pixel(pattern, x, y) << 4 | pixel(pattern, x + 1, y))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 4, 3, 0, 0, 0)))
        file.write(chunk(b"PLTE", palette))
        file.write(chunk(b"IDAT", zlib.compress(bytes(rows), 9)))
        file.write(chunk(b"IEND", b""))


main(*sys.argv[1:4])

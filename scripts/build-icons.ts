import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'

const ground = '#0b6e63'

/**
 * Renders the icon to PNG and ICO files in `folder`. Phone icons fill the square, because phones
 * crop them. The maskable icon keeps the drawing inside the safe zone.
 */
export async function buildIcons(drawing: string, folder: string): Promise<void> {
  const rounded = await readFile(drawing, 'utf8')
  const square = rounded.replace(/ rx="7"/, '')
  const maskable = square
    .replace('viewBox="0 0 32 32"', 'viewBox="-5 -5 42 42"')
    .replace('<rect ', `<rect x="-5" y="-5" width="42" height="42" fill="${ground}"/><rect `)
  const icons = {
    'icon-192.png': await png(rounded, 192),
    'icon-512.png': await png(rounded, 512),
    'icon-maskable-512.png': await png(maskable, 512),
    'apple-touch-icon.png': await png(square, 180),
    'favicon.ico': ico(await png(rounded, 32), 32),
  }
  for (const [name, bytes] of Object.entries(icons)) await writeFile(join(folder, name), bytes)
}

function png(svg: string, size: number): Promise<Buffer> {
  // The drawing is 32 points wide. This density renders it at its final size.
  const density = (72 * size) / 32
  return sharp(Buffer.from(svg), { density })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer()
}

/** Returns an ICO file containing one PNG of at most 255 pixels. */
function ico(picture: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2) // the type: icon
  head.writeUInt16LE(1, 4) // the number of pictures
  head.writeUInt8(size, 6)
  head.writeUInt8(size, 7)
  head.writeUInt16LE(1, 10) // planes
  head.writeUInt16LE(32, 12) // bits of a pixel
  head.writeUInt32LE(picture.length, 14)
  head.writeUInt32LE(head.length, 18) // where the picture begins
  return Buffer.concat([head, picture])
}

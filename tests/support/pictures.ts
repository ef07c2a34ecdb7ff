import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

interface Size {
  width: number
  height: number
}

export function makeSolidPng({ width, height }: Size, background = '#3a3f9e'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
}

/** Creates a picture of random pixels, which can't be compressed. They depend only on the seed. */
export function makeRandomPicture({ width, height }: Size, seed = 1): Sharp {
  const bytes = Buffer.alloc(width * height * 4)
  let state = seed
  for (let index = 0; index < bytes.length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[index] = state >>> 24
  }
  return sharp(bytes, { raw: { width, height, channels: 4 } })
}

/**
 * Creates a PNG whose header claims `width` × `height` pixels of 16-bit color, but whose image data
 * consists of zeros and ends after `dataBytes` bytes.
 */
export function makePngOfZeros({ width, height }: Size, dataBytes = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([16, 6, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    makePngChunk('IHDR', header),
    makePngChunk('IDAT', deflateSync(Buffer.alloc(dataBytes))),
    makePngChunk('IEND', Buffer.alloc(0)),
  ])
}

function makePngChunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const chunk = Buffer.alloc(typeAndData.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  typeAndData.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(typeAndData), typeAndData.length + 4)
  return chunk
}

import { randomFillSync } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

const blockBytes = 8 * 1024 ** 2

/** A local file to upload, whole or in pieces. */
export interface Source {
  path: string
  bytes: number
  /** Splits the file into files of at most `pieceBytes` bytes. Returns their paths. */
  split(pieceBytes: number): Promise<string[]>
}

/** Writes a file of random, incompressible bytes. */
export async function writeSource(folder: string, bytes: number): Promise<Source> {
  const path = join(folder, `source-of-${bytes}`)
  const file = await open(path, 'w')
  const block = randomFillSync(Buffer.allocUnsafe(Math.min(blockBytes, bytes)))
  for (let writtenBytes = 0; writtenBytes < bytes; writtenBytes += block.length) {
    // Makes each block unique, so that blocks in the wrong order are detected.
    block.writeDoubleLE(Math.random())
    await file.write(block, 0, Math.min(block.length, bytes - writtenBytes))
  }
  await file.close()
  return { path, bytes, split: (pieceBytes) => splitFile(path, bytes, pieceBytes) }
}

async function splitFile(path: string, bytes: number, pieceBytes: number): Promise<string[]> {
  const source = await open(path)
  const buffer = Buffer.allocUnsafe(Math.min(blockBytes, pieceBytes))
  const pieces: string[] = []
  for (let start = 0; start < bytes; start += pieceBytes) {
    const piecePath = `${path}-${pieceBytes}-${pieces.length}`
    const file = await open(piecePath, 'w')
    const end = Math.min(bytes, start + pieceBytes)
    for (let offset = start; offset < end; offset += buffer.length) {
      const { bytesRead } = await source.read(
        buffer,
        0,
        Math.min(buffer.length, end - offset),
        offset,
      )
      await file.write(buffer, 0, bytesRead)
    }
    await file.close()
    pieces.push(piecePath)
  }
  await source.close()
  return pieces
}

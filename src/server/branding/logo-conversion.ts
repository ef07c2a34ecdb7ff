import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { maxLogoSide } from '../../shared/rules/accounts/logo-limits.ts'
import { groupedDigits } from '../../shared/rules/format/numbers.ts'
import { AppError } from '../errors.ts'
import { logoExit, maxLogoPngBytes } from './logo-exit.ts'

/** A logo as the database stores it and clients get it. */
export interface Logo {
  /** A PNG without any metadata. */
  png: Buffer
  /** A hash of the PNG in hexadecimal. So another PNG has another key. */
  key: string
  /** In pixels. */
  width: number
  height: number
}

/** How many pictures may arrive or wait at the same time, of all accounts and of one account. */
const mostInHand = 16
const mostOfOne = 4

interface LogoProgram {
  /** The path of the program that each process runs. */
  path: string
  /** A process that runs for this long is killed. Most need a third of a second. */
  longestMs: number
}

const logoProgram: LogoProgram = {
  path: fileURLToPath(new URL('./logo-process.ts', import.meta.url)),
  longestMs: 20_000,
}

/**
 * Makes logos of pictures, one at a time. Each is made in a process of its own. If a picture makes
 * the decoder crash, hang or use too much memory, only that process ends.
 */
export class LogoConversion {
  readonly #program: LogoProgram
  readonly #inHand: string[] = []
  #last: Promise<unknown> = Promise.resolve()

  /** @param program tests give another one. */
  constructor(program = logoProgram) {
    this.#program = program
  }

  /**
   * Makes a logo of the picture that `read` returns.
   * @param userId the user whose picture it is.
   * @throws {AppError} LOGOS_BUSY, before anything is read, when too many pictures of this user or
   * of all users are being converted or wait for it; LOGO_UNREADABLE when the bytes are no PNG,
   * JPEG or WebP, are damaged, have too many pixels, or make the process fail.
   */
  async convert(userId: string, read: () => Promise<Uint8Array>, log: Logger): Promise<Logo> {
    const own = this.#inHand.filter((id) => id === userId).length
    if (this.#inHand.length >= mostInHand || own >= mostOfOne) throw busy()
    this.#inHand.push(userId)
    try {
      const picture = await read()
      if (!isPicture(picture)) throw new AppError('LOGO_UNREADABLE')
      const turn = this.#last.then(() => runProcess(this.#program, picture, log))
      this.#last = turn.catch(() => undefined)
      return await turn
    } finally {
      this.#inHand.splice(this.#inHand.indexOf(userId), 1)
    }
  }
}

function busy(): AppError {
  return new AppError('LOGOS_BUSY')
}

/**
 * Bytes by which a file format is recognised, and the offset at which they are in the file. They
 * are written as Latin-1 text.
 */
type Mark = readonly [at: number, bytes: string]

const pngStart: readonly Mark[] = [[0, '\x89PNG\r\n\x1a\n']]
const jpegStart: readonly Mark[] = [[0, '\xff\xd8\xff']]
/** Between these two, the file contains its length. */
const webpStart: readonly Mark[] = [
  [0, 'RIFF'],
  [8, 'WEBP'],
]

function isPicture(bytes: Uint8Array): boolean {
  return [pngStart, jpegStart, webpStart].some((start) => beginsAs(bytes, start))
}

function beginsAs(bytes: Uint8Array, marks: readonly Mark[]): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  return marks.every(([at, expected]) => start.startsWith(expected, at))
}

async function runProcess(
  { path, longestMs }: LogoProgram,
  picture: Uint8Array,
  log: Logger,
): Promise<Logo> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--max-old-space-size=64', path],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      // The process gets no setting and no secret of the server.
      env: { MALLOC_ARENA_MAX: '2', VIPS_BLOCK_UNTRUSTED: '1' },
      timeout: longestMs,
      killSignal: 'SIGKILL',
    },
  )
  const chunks: Buffer[] = []
  let size = 0
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxLogoPngBytes) child.kill('SIGKILL')
    chunks.push(chunk)
  })
  let says = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (says.length < 2000) says += chunk.toString()
  })
  // A process that ends early closes its input, which is an error here. Its exit code says what
  // happened.
  child.stdin.on('error', () => undefined)
  child.stdin.end(picture)
  const { code, signal } = await ended(child)
  const logo = code === logoExit.converted ? toLogo(Buffer.concat(chunks)) : null
  if (logo) return logo
  if (code === logoExit.tooManyPixels) {
    const side = groupedDigits(maxLogoSide)
    throw new AppError('LOGO_UNREADABLE', {
      message: `This picture is too large: it may be ${side} pixels wide and high at most.`,
    })
  }
  if (code !== logoExit.unreadable) log.warn({ code, signal, says }, 'the process of a logo failed')
  throw new AppError('LOGO_UNREADABLE')
}

function ended(child: ReturnType<typeof spawn>) {
  return new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

/**
 * Returns the logo that the process wrote, or null if that is no small PNG. A picture may have
 * taken control of the decoder, and then the process may write anything.
 */
function toLogo(png: Buffer): Logo | null {
  if (!beginsAs(png, pngStart) || png.length < 24 || png.length > maxLogoPngBytes) return null
  return {
    png,
    key: createHash('sha256').update(png).digest('hex').slice(0, 32),
    // The first bytes of a PNG contain its size in pixels.
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
  }
}

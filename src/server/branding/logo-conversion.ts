import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { maxLogoSide } from '../../shared/rules/logo-limits.ts'
import { AppError } from '../errors.ts'
import { logoExit, maxLogoPngBytes } from './logo-exit.ts'

/** A logo as it is kept and served. */
export interface Logo {
  /** A PNG without any metadata. */
  png: Buffer
  /** A hash of the PNG, in hexadecimal: other bytes have another key. */
  key: string
  /** In pixels. */
  width: number
  height: number
}

/** How many pictures may be on their way or waiting, in all and of one account. */
const mostInHand = 16
const mostOfOne = 4
const busyRetrySeconds = 5

interface LogoProgram {
  /** The file that a process runs. */
  path: string
  /** A process that takes this long is stopped. Most take a third of a second. */
  longestMs: number
}

const logoProgram: LogoProgram = {
  path: fileURLToPath(new URL('./logo-process.ts', import.meta.url)),
  longestMs: 20_000,
}

/**
 * Makes logos of pictures, one at a time, each in a process of its own: a picture that makes a
 * decoder crash, hang or eat memory ends that process and nothing else.
 */
export class LogoConversion {
  readonly #program: LogoProgram
  readonly #inHand: string[] = []
  #last: Promise<unknown> = Promise.resolve()

  /** @param program tests take others. */
  constructor(program = logoProgram) {
    this.#program = program
  }

  /**
   * Makes a logo of the picture that `read` returns.
   * @param userId whose it is; nobody may have all places.
   * @throws {AppError} LOGOS_BUSY before reading, when too many are in hand; LOGO_UNREADABLE when
   * the bytes are no PNG, JPEG or WebP, damaged, or too large in pixels.
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
  return new AppError('LOGOS_BUSY', { headers: { 'retry-after': String(busyRetrySeconds) } })
}

/** Bytes that stand at a place in a file, as Latin-1. */
type Mark = readonly [at: number, bytes: string]

const pngStart: readonly Mark[] = [[0, '\x89PNG\r\n\x1a\n']]
const jpegStart: readonly Mark[] = [[0, '\xff\xd8\xff']]
/** Between the two stands the length of the file. */
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
      // No setting and no secret of the server's.
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
  // A process that ends early closes its end. Its exit says what happened.
  child.stdin.on('error', () => undefined)
  child.stdin.end(picture)
  const { code, signal } = await ended(child)
  const logo = code === logoExit.converted ? toLogo(Buffer.concat(chunks)) : null
  if (logo) return logo
  if (code === logoExit.tooManyPixels) {
    const side = maxLogoSide.toLocaleString('en')
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
 * Returns what the process wrote, or null for what is no small PNG: a decoder that was got the
 * better of may write anything.
 */
function toLogo(png: Buffer): Logo | null {
  if (!beginsAs(png, pngStart) || png.length < 24 || png.length > maxLogoPngBytes) return null
  return {
    png,
    key: createHash('sha256').update(png).digest('hex').slice(0, 32),
    // A PNG begins with its size in pixels.
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
  }
}

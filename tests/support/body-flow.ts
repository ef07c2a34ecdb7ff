import type { Readable, Writable } from 'node:stream'

/** The bodies of several requests that pass at once, and one tap for all of them. */
export interface BodyFlow {
  /**
   * Hands a body on to `to`, counted and held back like all others; without `to` it is only counted.
   * `onBytes` is told of what comes, whether or not it is handed on.
   */
  begin(body: Readable, to: Writable | null, onBytes: (bytes: number) => void): Body
  /** Lets so many more bytes of all bodies through; resolves when they have passed and the rest is held. */
  holdAfter(bytes: number): Promise<void>
  open(): void
}

interface Body {
  /** Hands nothing on any more and takes the rest of the body as fast as it comes. */
  drain(): void
  end(): void
}

/** Starts with an open tap. */
export function makeBodyFlow(): BodyFlow {
  let left = Number.POSITIVE_INFINITY
  let held = Promise.withResolvers<void>()
  /** What each held body does when the tap opens. */
  const waiting = new Set<() => void>()

  const begin = (body: Readable, to: Writable | null, onBytes: (bytes: number) => void): Body => {
    if (to === null) {
      body.on('data', (chunk: Buffer) => onBytes(chunk.length))
      return { drain: () => {}, end: () => {} }
    }
    let isOver = false
    let kept: Buffer | null = null
    const goOn = () => {
      waiting.delete(goOn)
      const chunk = kept
      kept = null
      if (chunk) pass(chunk)
      else body.resume()
    }
    const pass = (chunk: Buffer) => {
      if (isOver) return
      const passed = chunk.subarray(0, Math.min(left, chunk.length))
      left -= passed.length
      const hasRoom = passed.length === 0 || to.write(passed)
      if (passed.length < chunk.length) {
        kept = chunk.subarray(passed.length)
        body.pause()
        waiting.add(goOn)
        held.resolve()
      } else if (hasRoom) body.resume()
      else {
        body.pause()
        to.once('drain', () => {
          if (!waiting.has(goOn)) body.resume()
        })
      }
    }
    body.on('data', (chunk: Buffer) => {
      onBytes(chunk.length)
      pass(chunk)
    })
    body.on('end', () => {
      if (!isOver) to.end()
    })
    const stop = () => {
      isOver = true
      waiting.delete(goOn)
    }
    return {
      drain: () => {
        stop()
        body.resume()
      },
      end: stop,
    }
  }

  return {
    begin,
    holdAfter(bytes) {
      left = bytes
      held = Promise.withResolvers()
      return held.promise
    },
    open() {
      left = Number.POSITIVE_INFINITY
      for (const goOn of [...waiting]) goOn()
    },
  }
}

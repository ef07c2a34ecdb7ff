import type { Readable, Writable } from 'node:stream'

/** Passes the bodies of several requests on at once, and can hold all of them back together. */
export interface BodyFlow {
  /**
   * Passes a body on to `to`, and holds it back with all others. Without `to`, the body is only
   * counted. `onBytes` gets the number of bytes that arrive, whether or not they are passed on.
   */
  begin(body: Readable, to: Writable | null, onBytes: (bytes: number) => void): Body
  /**
   * Lets `bytes` more bytes through, counted over all bodies. Resolves when a body is then held
   * back.
   */
  holdAfter(bytes: number): Promise<void>
  open(): void
}

interface Body {
  /** Passes nothing on any more, and reads the rest of the body as fast as it comes. */
  drain(): void
  end(): void
}

/** Makes a flow that at first holds nothing back. */
export function makeBodyFlow(): BodyFlow {
  let left = Number.POSITIVE_INFINITY
  let held = Promise.withResolvers<void>()
  /** Each function lets a body that is held back go on. */
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

import type { Readable, Writable } from 'node:stream'

/**
 * Stands in a test's proxy between a client and a server. Passes on the bodies of several requests
 * in parallel, and can let all of them wait at the same moment.
 */
export interface BodyFlow {
  /**
   * Passes a body on to `to`, and stops together with all other bodies. Without `to`, the body is
   * only counted. `onBytes` is told how many bytes arrive, whether or not they are passed on.
   */
  begin(body: Readable, to: Writable | null, onBytes: (bytes: number) => void): Body
  /**
   * Passes on `bytes` more bytes, counted over all bodies, and then stops all of them. Resolves
   * when a body has to wait because of that.
   */
  holdAfter(bytes: number): Promise<void>
  open(): void
}

interface Body {
  /** Passes on nothing any more, and reads the rest of the body as fast as it arrives. */
  drain(): void
  end(): void
}

/** Makes a flow that passes on everything until it is told to stop. */
export function makeBodyFlow(): BodyFlow {
  let left = Number.POSITIVE_INFINITY
  let held = Promise.withResolvers<void>()
  /** Each of these functions lets one waiting body go on. */
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

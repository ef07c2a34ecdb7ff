import type { Readable, Writable } from 'node:stream'

/** Forwards request bodies in a test proxy, and can pause all of them at once. */
export interface BodyFlow {
  /**
   * Forwards a body to `to`, or only counts its bytes if `to` is null. `onBytes` receives the size
   * of each chunk.
   */
  begin(body: Readable, to: Writable | null, onBytes: (bytes: number) => void): Body
  /**
   * Forwards `bytes` more bytes across all bodies, then pauses them. Resolves once a body is
   * paused.
   */
  holdAfter(bytes: number): Promise<void>
  open(): void
}

interface Body {
  /** Stops forwarding and discards the rest. */
  drain(): void
  end(): void
}

/** Creates a flow that forwards everything until paused. */
export function makeBodyFlow(): BodyFlow {
  let left = Number.POSITIVE_INFINITY
  let held = Promise.withResolvers<void>()
  /** Callbacks that each resume one paused body. */
  const waiting = new Set<() => void>()

  const begin = (body: Readable, to: Writable | null, onBytes: (bytes: number) => void): Body => {
    if (to === null) {
      body.on('data', (chunk: Buffer) => onBytes(chunk.length))
      return { drain: () => {}, end: () => {} }
    }
    let isOver = false
    let kept: Buffer | null = null
    const resume = () => {
      waiting.delete(resume)
      const chunk = kept
      kept = null
      if (chunk) pass(chunk)
      else body.resume()
    }
    const pass = (chunk: Buffer) => {
      if (isOver) return
      const passed = chunk.subarray(0, Math.min(left, chunk.length))
      left -= passed.length
      const canContinue = passed.length === 0 || to.write(passed)
      if (passed.length < chunk.length) {
        kept = chunk.subarray(passed.length)
        body.pause()
        waiting.add(resume)
        held.resolve()
      } else if (canContinue) body.resume()
      else {
        body.pause()
        to.once('drain', () => {
          if (!waiting.has(resume)) body.resume()
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
      waiting.delete(resume)
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
      for (const resume of [...waiting]) resume()
    },
  }
}

import type { Readable, Writable } from 'node:stream'

/** Forwards request bodies through a test proxy. All of them can be paused at the same time. */
export interface BodyFlow {
  /**
   * Forwards a body to `to`. If `to` is null, only counts its bytes. Calls `onBytes` with the size
   * of each chunk.
   */
  forward(body: Readable, to: Writable | null, onBytes: (bytes: number) => void): ForwardedBody
  /**
   * Forwards another `bytes` bytes, counted across all bodies, then pauses every body. Resolves
   * when the first one is paused.
   */
  stallAfter(bytes: number): Promise<void>
  resumeAll(): void
}

interface ForwardedBody {
  /**
   * Stops forwarding and discards the remaining bytes. Without that, the client's next request on
   * this connection would wait behind them.
   */
  drain(): void
}

/** Creates a flow that forwards everything until paused. */
export function makeBodyFlow(): BodyFlow {
  let remainingBytes = Number.POSITIVE_INFINITY
  let stalled = Promise.withResolvers<void>()
  /** Each callback resumes one paused body. */
  const resumeCallbacks = new Set<() => void>()

  const forward = (
    body: Readable,
    to: Writable | null,
    onBytes: (bytes: number) => void,
  ): ForwardedBody => {
    if (to === null) {
      body.on('data', (chunk: Buffer) => onBytes(chunk.length))
      return { drain: () => {} }
    }
    let isStopped = false
    let pendingChunk: Buffer | null = null
    const resume = () => {
      resumeCallbacks.delete(resume)
      const chunk = pendingChunk
      pendingChunk = null
      if (chunk) forwardChunk(chunk)
      else body.resume()
    }
    const forwardChunk = (chunk: Buffer) => {
      if (isStopped) return
      const forwardedBytes = chunk.subarray(0, Math.min(remainingBytes, chunk.length))
      remainingBytes -= forwardedBytes.length
      const canContinue = forwardedBytes.length === 0 || to.write(forwardedBytes)
      if (forwardedBytes.length < chunk.length) {
        pendingChunk = chunk.subarray(forwardedBytes.length)
        body.pause()
        resumeCallbacks.add(resume)
        stalled.resolve()
      } else if (canContinue) body.resume()
      else {
        body.pause()
        to.once('drain', () => {
          if (!resumeCallbacks.has(resume)) body.resume()
        })
      }
    }
    body.on('data', (chunk: Buffer) => {
      onBytes(chunk.length)
      forwardChunk(chunk)
    })
    body.on('end', () => {
      if (!isStopped) to.end()
    })
    return {
      drain: () => {
        isStopped = true
        resumeCallbacks.delete(resume)
        body.resume()
      },
    }
  }

  return {
    forward,
    stallAfter(bytes) {
      remainingBytes = bytes
      stalled = Promise.withResolvers()
      return stalled.promise
    },
    resumeAll() {
      remainingBytes = Number.POSITIVE_INFINITY
      for (const resume of [...resumeCallbacks]) resume()
    },
  }
}

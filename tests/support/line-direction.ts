import type { Socket } from 'node:net'

/** Maximum number of bytes a connection sends before the next one is served. */
const packetBytes = 8 * 1024
/** Reading from a connection pauses while at least this many bytes are queued. */
const highWaterMark = 1024 * 1024

/** One direction of a connection. */
interface Flow {
  to: Socket
  from: Socket
  queue: Buffer[]
  queued: number
  /** Time from which the connection may send. */
  since: number
  /** True once the sender has finished. */
  isOver: boolean
  /** True while the receiver applies backpressure. */
  isBlocked: boolean
}

interface Packet {
  flow: Flow
  bytes: Buffer | null
  arrivesAt: number
}

/** One direction of a simulated network link. */
export interface LineDirection {
  /** Pipes one socket to another, starting after `afterMs`. */
  carry(from: Socket, to: Socket, afterMs: number): void
  carried(): number
  close(): void
}

/**
 * Creates one direction of a link with a rate and a latency. Connections share the rate
 * round-robin. Packet times are computed, so late timers don't lower the rate.
 */
export function makeLineDirection({
  bytesPerSecond,
  delayMs,
}: {
  bytesPerSecond: number
  delayMs: number
}): LineDirection {
  const flows: Flow[] = []
  const underWay: Packet[] = []
  const bytesPerMilli = bytesPerSecond / 1000
  let freeAt = 0
  let isIdle = true
  let carried = 0
  let timer: NodeJS.Timeout | undefined

  /** Returns the next ready connection and moves it to the end of the queue. */
  const nextFlow = (now: number): Flow | undefined => {
    const at = flows.findIndex(
      ({ queue, isBlocked, since }) => queue.length > 0 && !isBlocked && since <= now,
    )
    const [flow] = at < 0 ? [] : flows.splice(at, 1)
    if (flow) flows.push(flow)
    return flow
  }

  const takePacket = (flow: Flow): Buffer => {
    const [first = Buffer.alloc(0)] = flow.queue
    const bytes = first.subarray(0, packetBytes)
    if (bytes.length === first.length) flow.queue.shift()
    else flow.queue[0] = first.subarray(packetBytes)
    flow.queued -= bytes.length
    if (flow.queued < highWaterMark) flow.from.resume()
    return bytes
  }

  const finish = (flow: Flow, at: number) => {
    underWay.push({ flow, bytes: null, arrivesAt: at + delayMs })
    flows.splice(flows.indexOf(flow), 1)
  }

  const sendDue = (now: number) => {
    // After a late timer, send the delayed packets at once. Idle time earns no credit.
    if (isIdle) freeAt = Math.max(freeAt, now)
    isIdle = false
    while (freeAt <= now) {
      const flow = nextFlow(now)
      if (!flow) {
        isIdle = true
        return
      }
      const bytes = takePacket(flow)
      freeAt += bytes.length / bytesPerMilli
      underWay.push({ flow, bytes, arrivesAt: freeAt + delayMs })
      if (flow.isOver && flow.queue.length === 0) finish(flow, freeAt)
    }
  }

  const deliverDue = (now: number) => {
    for (;;) {
      const [packet] = underWay
      if (!packet || packet.arrivesAt > now) return
      underWay.shift()
      const { flow, bytes } = packet
      if (bytes === null) flow.to.end()
      else {
        carried += bytes.length
        if (flow.to.writable && !flow.to.write(bytes)) {
          flow.isBlocked = true
          flow.to.once('drain', () => {
            flow.isBlocked = false
            run()
          })
        }
      }
    }
  }

  const run = () => {
    clearTimeout(timer)
    const now = performance.now()
    const waits = flows.filter(({ queue, isBlocked }) => queue.length > 0 && !isBlocked)
    sendDue(now)
    deliverDue(now)
    const dueTimes = [
      ...(waits.length > 0 ? [Math.max(freeAt, Math.min(...waits.map(({ since }) => since)))] : []),
      ...(underWay[0] ? [underWay[0].arrivesAt] : []),
    ]
    if (dueTimes.length > 0) timer = setTimeout(run, Math.max(1, Math.min(...dueTimes) - now))
  }

  return {
    carry(from, to, afterMs) {
      const flow: Flow = {
        from,
        to,
        queue: [],
        queued: 0,
        since: performance.now() + afterMs,
        isOver: false,
        isBlocked: false,
      }
      flows.push(flow)
      from.on('data', (chunk) => {
        flow.queue.push(chunk)
        flow.queued += chunk.length
        if (flow.queued >= highWaterMark) from.pause()
        run()
      })
      from.once('end', () => {
        flow.isOver = true
        if (flow.queue.length === 0) finish(flow, Math.max(freeAt, performance.now()))
        run()
      })
      const leave = () => {
        const at = flows.indexOf(flow)
        if (at >= 0) flows.splice(at, 1)
      }
      to.once('close', leave)
    },
    carried: () => carried,
    close: () => clearTimeout(timer),
  }
}

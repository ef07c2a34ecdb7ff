import type { Socket } from 'node:net'

/** The most bytes that a connection may send before the next connection takes its turn. */
const packetBytes = 8 * 1024
/** Reading from a connection pauses while at least this many of its bytes are queued. */
const highWaterMarkBytes = 1024 * 1024

interface Flow {
  to: Socket
  from: Socket
  queue: Buffer[]
  queuedBytes: number
  /** The earliest time at which this connection may send. */
  readyAt: number
  /** True once the sender has closed its side. */
  isOver: boolean
  /** True while the receiver applies backpressure. */
  isBlocked: boolean
}

interface Packet {
  flow: Flow
  bytes: Buffer | null
  arrivesAt: number
}

export interface NetworkDirection {
  pipe(from: Socket, to: Socket, startDelayMs: number): void
  deliveredBytes(): number
  close(): void
}

/**
 * Creates one direction of a network, with a data rate and a latency. Connections take turns using
 * the rate. Packet times are computed in advance, so timers that fire late don't reduce the rate.
 */
export function makeNetworkDirection({
  bytesPerSecond,
  delayMs,
}: {
  bytesPerSecond: number
  delayMs: number
}): NetworkDirection {
  const flows: Flow[] = []
  const packetsInFlight: Packet[] = []
  const bytesPerMs = bytesPerSecond / 1000
  let nextSendAt = 0
  let isIdle = true
  let deliveredBytes = 0
  let timer: NodeJS.Timeout | undefined

  /** Returns the next connection that is ready to send, and moves it to the back of the queue. */
  const takeNextFlow = (now: number): Flow | undefined => {
    const index = flows.findIndex(
      ({ queue, isBlocked, readyAt }) => queue.length > 0 && !isBlocked && readyAt <= now,
    )
    const [flow] = index < 0 ? [] : flows.splice(index, 1)
    if (flow) flows.push(flow)
    return flow
  }

  const dequeuePacket = (flow: Flow): Buffer => {
    const [firstChunk = Buffer.alloc(0)] = flow.queue
    const bytes = firstChunk.subarray(0, packetBytes)
    if (bytes.length === firstChunk.length) flow.queue.shift()
    else flow.queue[0] = firstChunk.subarray(packetBytes)
    flow.queuedBytes -= bytes.length
    if (flow.queuedBytes < highWaterMarkBytes) flow.from.resume()
    return bytes
  }

  const finishFlow = (flow: Flow, time: number) => {
    packetsInFlight.push({ flow, bytes: null, arrivesAt: time + delayMs })
    flows.splice(flows.indexOf(flow), 1)
  }

  const sendDuePackets = (now: number) => {
    // If a timer fires late, send the overdue packets at once to catch up. Idle time isn't made up
    // for.
    if (isIdle) nextSendAt = Math.max(nextSendAt, now)
    isIdle = false
    while (nextSendAt <= now) {
      const flow = takeNextFlow(now)
      if (!flow) {
        isIdle = true
        return
      }
      const bytes = dequeuePacket(flow)
      nextSendAt += bytes.length / bytesPerMs
      packetsInFlight.push({ flow, bytes, arrivesAt: nextSendAt + delayMs })
      if (flow.isOver && flow.queue.length === 0) finishFlow(flow, nextSendAt)
    }
  }

  const deliverDuePackets = (now: number) => {
    for (;;) {
      const [packet] = packetsInFlight
      if (!packet || packet.arrivesAt > now) return
      packetsInFlight.shift()
      const { flow, bytes } = packet
      if (bytes === null) flow.to.end()
      else {
        deliveredBytes += bytes.length
        if (flow.to.writable && !flow.to.write(bytes)) {
          flow.isBlocked = true
          flow.to.once('drain', () => {
            flow.isBlocked = false
            tick()
          })
        }
      }
    }
  }

  const tick = () => {
    clearTimeout(timer)
    const now = performance.now()
    const waitingFlows = flows.filter(({ queue, isBlocked }) => queue.length > 0 && !isBlocked)
    sendDuePackets(now)
    deliverDuePackets(now)
    const dueTimes = [
      ...(waitingFlows.length > 0
        ? [Math.max(nextSendAt, Math.min(...waitingFlows.map(({ readyAt }) => readyAt)))]
        : []),
      ...(packetsInFlight[0] ? [packetsInFlight[0].arrivesAt] : []),
    ]
    if (dueTimes.length > 0) timer = setTimeout(tick, Math.max(1, Math.min(...dueTimes) - now))
  }

  return {
    pipe(from, to, startDelayMs) {
      const flow: Flow = {
        from,
        to,
        queue: [],
        queuedBytes: 0,
        readyAt: performance.now() + startDelayMs,
        isOver: false,
        isBlocked: false,
      }
      flows.push(flow)
      from.on('data', (chunk) => {
        flow.queue.push(chunk)
        flow.queuedBytes += chunk.length
        if (flow.queuedBytes >= highWaterMarkBytes) from.pause()
        tick()
      })
      from.once('end', () => {
        flow.isOver = true
        if (flow.queue.length === 0) finishFlow(flow, Math.max(nextSendAt, performance.now()))
        tick()
      })
      const removeFlow = () => {
        const index = flows.indexOf(flow)
        if (index >= 0) flows.splice(index, 1)
      }
      to.once('close', removeFlow)
    },
    deliveredBytes: () => deliveredBytes,
    close: () => clearTimeout(timer),
  }
}

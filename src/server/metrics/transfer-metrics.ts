import { Counter, Gauge, type Registry } from 'prom-client'
import {
  type TransferDirection,
  type TransferMeter,
  transferDirections,
  transferOutcomes,
} from '../storage/disk/transfer-meter.ts'

/** Counts transfers that pass through this server. Transfers to and from a bucket do not. */
export function transferMetrics(registers: Registry[]): TransferMeter {
  const bytes = new Counter({
    name: 'mayfly_transfer_bytes_total',
    help: 'Bytes of files on the disk that were received or sent.',
    labelNames: ['direction'],
    registers,
  })
  const transfers = new Counter({
    name: 'mayfly_transfers_total',
    help: 'Transfers that ended: complete, cut (the client left), refused, failed.',
    labelNames: ['direction', 'outcome'],
    registers,
  })
  for (const direction of transferDirections) {
    for (const outcome of transferOutcomes) transfers.inc({ direction, outcome }, 0)
  }
  const running = new Gauge({
    name: 'mayfly_transfers_running',
    help: 'Transfers that are running.',
    labelNames: ['direction'],
    registers,
    collect() {
      for (const direction of transferDirections) this.set({ direction }, runningNow(direction))
    },
  })
  let runningNow: (direction: TransferDirection) => number = () => 0
  const counters = {
    download: bytes.labels({ direction: 'download' }),
    upload: bytes.labels({ direction: 'upload' }),
  }
  return {
    bytes: (direction, count) => counters[direction].inc(count),
    ended: (direction, outcome) => transfers.inc({ direction, outcome }),
    running(count) {
      runningNow = count
      running.reset()
    },
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Histogram, type Registry } from 'prom-client'
import { endpoints } from '../../shared/contract/index.ts'
import { routeOf } from '../http/request-context.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The errors of the server that a request to any route can be answered with. */
const faults = ['500', '503']

/** Counts requests and measures how long they take. */
export function httpMetrics(registers: Registry[]) {
  const requests = new Counter({
    name: 'mayfly_http_requests_total',
    help: 'Requests, by declared path. The status is "none" where the client left before it.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'mayfly_http_request_duration_seconds',
    help: 'From the turn of a request to the end of its answer. Transfers last as long as their bytes.',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  // Each call of `labels` takes the library some time. These maps find the series faster.
  const counters = new Map<string, Counter.Internal>()
  const histograms = new Map<string, Histogram.Internal<'route'>>()

  const count = (method: string, route: string, status: string): void => {
    const key = `${method} ${status} ${route}`
    let counter = counters.get(key)
    if (!counter) {
      counter = requests.labels({ method, route, status })
      counters.set(key, counter)
    }
    counter.inc()
  }

  const declared = [
    ...Object.values(endpoints).map(({ method, path }) => ({ method, route: path })),
    { method: 'GET', route: '/storage/{download}' },
    { method: 'PUT', route: '/storage/{upload}' },
    { method: 'PUT', route: '/storage/{part}' },
  ]
  for (const { method, route } of declared) {
    for (const status of faults) requests.inc({ method, route, status }, 0)
  }

  const measure = (route: string, durationSeconds: number): void => {
    let histogram = histograms.get(route)
    if (!histogram) {
      histogram = seconds.labels({ route })
      histograms.set(route, histogram)
    }
    histogram.observe(durationSeconds)
  }

  return {
    /** Counts a request when its answer has ended, or when its client has left. */
    watch(request: IncomingMessage, response: ServerResponse): void {
      const started = performance.now()
      response.once('close', () => {
        const method = request.method ?? ''
        const route = routeOf(response)
        const status = response.headersSent ? String(response.statusCode) : 'none'
        count(methods.has(method) ? method : 'other', route, status)
        measure(route, (performance.now() - started) / 1000)
      })
    },
  }
}

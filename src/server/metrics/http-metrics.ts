import type { IncomingMessage, ServerResponse } from 'node:http'
import { Counter, Histogram, type Registry } from 'prom-client'
import { endpoints } from '../../shared/contract/index.ts'
import { getRoute } from '../http/request-context.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Error statuses that any route can return. */
const serverErrorStatuses = ['500', '503']

/** Creates metrics for the number of requests and their duration. */
export function createHttpMetrics(registers: Registry[]) {
  const requestCounter = new Counter({
    name: 'mayfly_http_requests_total',
    help: 'Requests, by declared path. The status is "none" if the client disconnected before it.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durationHistogram = new Histogram({
    name: 'mayfly_http_request_duration_seconds',
    help: 'From the start of a request to the end of its answer, including its bytes.',
    labelNames: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const declaredRoutes = [
    ...Object.values(endpoints).map(({ method, path }) => ({ method, route: path })),
    { method: 'PUT', route: '/storage/{upload}' },
    { method: 'PUT', route: '/storage/{part}' },
  ]
  for (const { method, route } of declaredRoutes) {
    for (const status of serverErrorStatuses) requestCounter.inc({ method, route, status }, 0)
  }

  return {
    /** Counts a request when its response ends or its client disconnects. */
    watch(request: IncomingMessage, response: ServerResponse): void {
      const startedAt = performance.now()
      response.once('close', () => {
        const { method = '' } = request
        const route = getRoute(response)
        const status = response.headersSent ? String(response.statusCode) : 'none'
        requestCounter.inc({ method: methods.has(method) ? method : 'other', route, status })
        durationHistogram.observe({ route }, (performance.now() - startedAt) / 1000)
      })
    },
  }
}

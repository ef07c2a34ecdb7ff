import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { routeOf } from '../http/route-name.ts'
import type { Spans } from './spans.ts'
import type { Tracing } from './tracing.ts'

/**
 * Returns the function that answers a request within a span. The span shows the declared path and
 * never the one that was asked for, which can hold a short code or a signature.
 */
export function requestTracer(spans: Spans): Tracing['request'] {
  return (request, response, answer) => {
    const method = request.method ?? ''
    const attributes = { 'http.request.method': method }
    const options = { kind: SpanKind.SERVER, attributes }
    const span = spans.begin(method, options, spans.callerOf(request.headers))
    response.once('close', () => {
      const route = routeOf(response)
      span.updateName(`${method} ${route}`)
      span.setAttribute('http.route', route)
      const requestId = response.getHeader('x-request-id')
      if (requestId !== undefined) span.setAttribute('mayfly.request_id', String(requestId))
      if (response.headersSent) {
        span.setAttribute('http.response.status_code', response.statusCode)
        if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    })
    spans.within(span, answer)
  }
}

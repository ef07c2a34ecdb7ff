import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { TracingSettings } from '../tracing-settings.ts'
import type { Spans } from './spans.ts'
import { tracedPool } from './traced-pool.ts'
import { requestTracer } from './traced-requests.ts'
import { watchS3 } from './traced-s3.ts'
import type { Tracing } from './tracing.ts'

/**
 * Starts sending traces to the collector that OpenTelemetry's environment variables name. No
 * library is patched: the server makes its spans by the returned object. If the collector cannot be
 * reached, spans are dropped, and no request is slower.
 */
export function startTracing(settings: TracingSettings, log: Pick<Logger, 'warn'>): Tracing {
  watchFaults(log)
  const provider = new TracerProvider({
    // Attributes of OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME replace ours.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'mayfly' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  const spans = makeSpans(provider, settings)
  return {
    request: requestTracer(spans),
    Pool: tracedPool(spans),
    watchS3: (client) => watchS3(client, spans),
    close: () => provider.shutdown(),
  }
}

function samplerOf({ share, asksCaller }: TracingSettings): Sampler {
  const root = new TraceIdRatioBasedSampler(share)
  return asksCaller ? new ParentBasedSampler({ root }) : root
}

function makeSpans(provider: TracerProvider, { followsCaller }: TracingSettings): Spans {
  const tracer = provider.getTracer('mayfly')
  const current = new AsyncLocalStorage<Context>()
  const propagator = new W3CTraceContextPropagator()
  return {
    // Jobs and the polling of their queue go on in an idle server. Each of their statements would
    // be a trace of its own.
    begin: (name, options, parent = current.getStore()) =>
      parent
        ? tracer.startSpan(name, options, parent)
        : trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
    within: (span, work) => current.run(trace.setSpan(ROOT_CONTEXT, span), work),
    callerOf: (headers) =>
      followsCaller
        ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
        : ROOT_CONTEXT,
  }
}

/**
 * Logs the warnings and errors of the libraries. They may contain the collector's address, but
 * never the headers that are sent to it, in which a token may be.
 */
function watchFaults(log: Pick<Logger, 'warn'>): void {
  const warn = (message: string) => log.warn({ reason: message.slice(0, 500) }, 'Traces are lost')
  const ignore = () => {}
  const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

import { type Context, type Span, type SpanOptions, SpanStatusCode } from '@opentelemetry/api'

/** Makes spans. The span of the current request is the parent of all that it causes. */
export interface Spans {
  /**
   * Begins a span. Without `parent`, its parent is the span of the current request. If there is no
   * such request, the span is not sent.
   */
  begin(name: string, options: SpanOptions, parent?: Context): Span
  /** Does the work, and all that it causes, within a span. */
  within(span: Span, work: () => void): void
  /** Returns the context that a caller's headers name, or an empty one. */
  callerOf(headers: object): Context
}

/** Ends the span of something that failed. It omits the error's message, which may hold values. */
export function endFailed(span: Span, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const name = error instanceof Error ? error.name : 'unknown'
  span.setAttribute('error.type', code ?? name)
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

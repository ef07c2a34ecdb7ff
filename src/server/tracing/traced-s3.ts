import type { S3Client } from '@aws-sdk/client-s3'
import { SpanKind } from '@opentelemetry/api'
import { endFailed, type Spans } from './spans.ts'

/** Gives each call of a client a span, by the SDK's middleware. The span has no key and no URL. */
export function watchS3(client: S3Client, spans: Spans): void {
  client.middlewareStack.add(
    (next, { commandName = 'call' }) =>
      async (args) => {
        const method = String(commandName).replace(/Command$/, '')
        const span = spans.begin(`S3 ${method}`, {
          kind: SpanKind.CLIENT,
          attributes: { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': method },
        })
        try {
          const result = await next(args)
          span.end()
          return result
        } catch (error) {
          endFailed(span, error)
          throw error
        }
      },
    { step: 'initialize', name: 'mayflyTraces' },
  )
}

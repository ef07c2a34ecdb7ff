import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const ok = z.object({ status: z.literal('ok') })

export const operations = {
  health: endpoint('GET', '/api/health', {
    summary: 'Check that the process is alive',
    access: 'visitor',
    response: ok,
  }),
  ready: endpoint('GET', '/api/ready', {
    summary: 'Check that database and storage respond',
    access: 'visitor',
    response: ok,
    errors: ['UNAVAILABLE'],
  }),
  metrics: endpoint('GET', '/metrics', {
    summary: 'Get metrics for Prometheus. Needs METRICS_TOKEN or a local request',
    access: 'visitor',
    response: { raw: 'text' },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  openApi: endpoint('GET', '/api/openapi.json', {
    summary: 'Get the OpenAPI document',
    access: 'visitor',
    response: { raw: 'json' },
  }),
  docs: endpoint('GET', '/api/docs', {
    summary: 'Get the API reference',
    access: 'visitor',
    response: { raw: 'page' },
  }),
}

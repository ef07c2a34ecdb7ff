import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const ok = z.object({ status: z.literal('ok') })

export const operations = {
  health: endpoint({
    method: 'GET',
    path: '/api/health',
    summary: 'The process is alive.',
    access: 'visitor',
    response: ok,
    errors: [],
  }),
  ready: endpoint({
    method: 'GET',
    path: '/api/ready',
    summary: 'Database and storage answer; 503 otherwise.',
    access: 'visitor',
    response: ok,
    errors: ['UNAVAILABLE'],
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus, in its text format. With a token, or from this machine.',
    access: 'visitor',
    response: { raw: 'text' },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  openApi: endpoint({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This contract as an OpenAPI 3.1 document.',
    access: 'visitor',
    response: { raw: 'json' },
    errors: [],
  }),
  docs: endpoint({
    method: 'GET',
    path: '/api/docs',
    summary: 'This contract as a page to read.',
    access: 'visitor',
    response: { raw: 'page' },
    errors: [],
  }),
}

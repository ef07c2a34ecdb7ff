import { z } from 'zod'
import { shown } from './setting-values.ts'

/**
 * Which requests are traced. The library for traces reads everything else from the standard
 * variables itself: the address of the collector, headers, certificates, compression, time-outs,
 * and the attributes of this server.
 */
export interface TracingSettings {
  /** The share of requests that are traced, from 0 to 1. */
  share: number
  /**
   * Whether the caller of a request that continues its trace decides if the request is traced. Then
   * `share` is for the other requests only.
   */
  asksCaller: boolean
  /**
   * Whether a request with the header `traceparent` continues the trace of its caller. True if
   * `TRUST_PROXY` is on. The proxy must then set or clear this header. Otherwise any client could
   * choose what is traced.
   */
  followsCaller: boolean
}

/** The setting for traces. A test compares it with the README's table. */
export const tracingSettingsTable = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: 'none: no traces',
    meaning:
      'Where traces are sent, by OpenTelemetry over HTTP: `http://127.0.0.1:4318`. See [traces](docs/operations.md#traces)',
  },
} as const

const samplers = ['always_on', 'always_off', 'traceidratio'] as const

const shareCure = 'give a share from 0 to 1, or unset it for 1'

/**
 * How each variable is checked and read. The library for traces reads all other standard variables
 * itself, unchecked.
 */
export const tracingSchema = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol(),
  OTEL_TRACES_EXPORTER: z.string().optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_SAMPLER: z
    .enum(
      [...samplers, ...samplers.map((name) => `parentbased_${name}` as const)],
      shown(`write ${samplers.join(', ')}, or one of them after parentbased_, or unset it`),
    )
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|0?\.\d+|[01]\.0*)$/, shown(shareCure))
    .default('1')
    .transform(Number),
}

type TracingEnvironment = z.output<z.ZodObject<typeof tracingSchema>>

/** Returns null where no traces are to be sent. */
export function readTracingSettings(
  env: TracingEnvironment & { TRUST_PROXY: boolean },
): TracingSettings | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true'
  if (endpoint === undefined || isOff || env.OTEL_TRACES_EXPORTER === 'none') return null
  if (env.OTEL_TRACES_SAMPLER === 'always_off') return null
  return {
    share: shareOf(env),
    asksCaller: env.OTEL_TRACES_SAMPLER.startsWith('parentbased_'),
    followsCaller: env.TRUST_PROXY,
  }
}

function shareOf(env: TracingEnvironment): number {
  if (env.OTEL_TRACES_SAMPLER.endsWith('always_on')) return 1
  return env.OTEL_TRACES_SAMPLER.endsWith('always_off') ? 0 : env.OTEL_TRACES_SAMPLER_ARG
}

function collector() {
  return z
    .string()
    .refine(
      (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
      shown('give the address of a collector, such as http://127.0.0.1:4318, or unset it'),
    )
    .optional()
}

function protocol() {
  return z
    .literal('http/protobuf', shown('only http/protobuf is spoken: write it, or unset it'))
    .optional()
}

import { describe, expect, test } from 'vitest'
import { type ConfigError, readConfig } from './config.ts'

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318'
const named = { OTEL_EXPORTER_OTLP_ENDPOINT }

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as ConfigError).faults
  }
}

describe('traces are sent', () => {
  test.each([
    [
      'all, where a collector is named',
      named,
      { share: 1, asksCaller: true, followsCaller: false },
    ],
    [
      'where the collector of traces alone is named',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otel.example.org/v1/traces' },
      { share: 1, asksCaller: true, followsCaller: false },
    ],
    [
      'in the share that is asked for',
      { ...named, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' },
      { share: 0.05, asksCaller: false, followsCaller: false },
    ],
    [
      'all, also where the caller wants none',
      { ...named, OTEL_TRACES_SAMPLER: 'always_on' },
      { share: 1, asksCaller: false, followsCaller: false },
    ],
    [
      'where only the caller decides',
      { ...named, OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
      { share: 0, asksCaller: true, followsCaller: false },
    ],
    [
      'in the share that is asked for, where the caller does not decide',
      { ...named, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '.5' },
      { share: 0.5, asksCaller: true, followsCaller: false },
    ],
    [
      'all, where a share is given that no sampler reads',
      { ...named, OTEL_TRACES_SAMPLER_ARG: '0.05' },
      { share: 1, asksCaller: true, followsCaller: false },
    ],
    [
      'as part of the trace of our proxy',
      { ...named, TRUST_PROXY: 'on' },
      { share: 1, asksCaller: true, followsCaller: true },
    ],
  ])('%s', (_, env, tracing) => {
    expect(readConfig(env).tracing).toEqual(tracing)
  })
})

describe('no traces are sent', () => {
  test.each([
    ['without a collector', {}],
    ['where they are switched off', { ...named, OTEL_SDK_DISABLED: 'true' }],
    ['where no exporter is wanted', { ...named, OTEL_TRACES_EXPORTER: 'none' }],
    ['where the sampler takes none', { ...named, OTEL_TRACES_SAMPLER: 'always_off' }],
  ])('%s', (_, env) => {
    expect(readConfig(env).tracing).toBeNull()
  })
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
])('%s cannot be %j', (name, value) => {
  expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name} `)])
})

import { describe, expect, it } from 'vitest'
import { readConfig } from '../../config/config.ts'
import type { Finding, RequestInfo } from './check.ts'
import {
  checkAddress,
  checkContact,
  checkProxy,
  checkRateLimits,
  checkSecrets,
} from './settings.ts'

const publicUrl = { APP_URL: 'https://files.example.org' }

function createConfigDeps(env: Record<string, string>) {
  return { config: readConfig({ DATA_DIR: '/srv/my data', ...env }) }
}

function makeRequestInfo(overrides: Partial<RequestInfo>): RequestInfo {
  return {
    host: 'files.example.org',
    scheme: null,
    isForwarded: false,
    isProxied: false,
    isTrusted: false,
    ...overrides,
  }
}

function expectSingle(findings: Finding[]): Finding {
  expect(findings).toHaveLength(1)
  return findings[0] as Finding
}

describe('APP_URL', () => {
  it.each<[Record<string, string>, Partial<RequestInfo>, string, string]>([
    [publicUrl, {}, 'ok', ''],
    [publicUrl, { scheme: 'https' }, 'ok', ''],
    [{ APP_URL: 'https://files.example.org:8443' }, {}, 'ok', ''],
    [{ APP_URL: 'https://files.example.org:8443' }, { host: 'files.example.org:8443' }, 'ok', ''],
    [
      publicUrl,
      { host: 'files.example.org:3000' },
      'warning',
      'APP_URL=https://files.example.org:3000',
    ],
    [publicUrl, { scheme: 'http' }, 'warning', 'open this page there'],
    [{ APP_URL: 'http://files.example.org' }, {}, 'warning', 'APP_URL=https://files.example.org'],
    [
      { APP_URL: 'http://files.example.org' },
      { scheme: 'https' },
      'warning',
      'APP_URL=https://files.example.org',
    ],
    [{}, { host: '127.0.0.1:3000' }, 'ok', ''],
    [{}, { host: 'localhost:3000' }, 'ok', ''],
    [{}, { host: 'localhost:4000' }, 'warning', 'APP_URL=http://localhost:4000'],
    [
      { HOST: '0.0.0.0' },
      { host: '192.168.1.7:3000' },
      'warning',
      'APP_URL=http://192.168.1.7:3000',
    ],
  ])('with %j and a request with %j is %s', (env, request, status, cure) => {
    const finding = expectSingle(checkAddress(createConfigDeps(env), makeRequestInfo(request)))
    expect(finding).toMatchObject({ status, cure: expect.stringContaining(cure) })
  })
})

describe('the contact addresses', () => {
  const addresses = { SUPPORT_EMAIL: 'help@example.org', PRIVACY_EMAIL: 'data@example.org' }
  const numericUrl = { APP_URL: 'http://10.0.0.5:3000' }

  it.each<[Record<string, string>, string, string]>([
    [publicUrl, 'ok', 'show support@files.example.org and privacy@files.example.org'],
    [{ ...numericUrl, ...addresses }, 'ok', 'show help@example.org and data@example.org'],
    [{}, 'ok', 'support@127.0.0.1 receives no email. PRIVACY_EMAIL'],
    [numericUrl, 'warning', 'support@10.0.0.5 receives no email. PRIVACY_EMAIL'],
    [
      { ...numericUrl, SUPPORT_EMAIL: 'help@example.org' },
      'warning',
      'PRIVACY_EMAIL is not set, and privacy@10.0.0.5 receives no email.',
    ],
  ])('from %j are %s: %s', (env, status, message) => {
    const finding = expectSingle(checkContact(createConfigDeps(env)))
    expect(finding).toMatchObject({ status, message: expect.stringContaining(message) })
    expect(finding.cure).toMatch(status === 'ok' ? /^$/ : /^Set SUPPORT_EMAIL and PRIVACY_EMAIL/)
  })
})

describe('secrets', () => {
  it.each<[Record<string, string>, string]>([
    [{}, 'ok'],
    [{ DATABASE_URL: 'postgres://x@y/z' }, 'warning'],
    [{ DATABASE_URL: 'postgres://x@y/z', AUTH_SECRET: 'x'.repeat(32) }, 'ok'],
  ])('with %j are %s', (env, status) => {
    const finding = expectSingle(checkSecrets(createConfigDeps(env)))
    expect(finding.status).toBe(status)
    expect(JSON.stringify(finding)).not.toContain('xxxx')
    if (status === 'warning') expect(finding.cure).toContain("(cat '/srv/my data/secret')")
  })
})

describe('rate limits', () => {
  it.each<[Record<string, string>, string]>([
    [{}, 'ok'],
    [{ RATE_LIMITS: 'off' }, 'warning'],
    [{ RATE_LIMITS: 'off', ...publicUrl }, 'failing'],
  ])('with %j are %s', (env, status) => {
    expect(expectSingle(checkRateLimits(createConfigDeps(env))).status).toBe(status)
  })
})

describe('the proxy', () => {
  const trustedProxy = { TRUST_PROXY: 'on' }

  it.each<[Record<string, string>, Partial<RequestInfo>, string, string]>([
    [{}, {}, 'ok', ''],
    [{}, { isForwarded: true }, 'ok', ''],
    [{}, { isForwarded: true, isProxied: true }, 'warning', 'TRUST_PROXY=on'],
    [trustedProxy, { isForwarded: true, isProxied: true, isTrusted: true }, 'ok', ''],
    [trustedProxy, { isForwarded: true }, 'warning', 'TRUST_PROXY'],
    [trustedProxy, {}, 'warning', 'X-Forwarded-For'],
  ])('with %j and a request with %j is %s', (env, request, status, cure) => {
    const finding = expectSingle(checkProxy(createConfigDeps(env), makeRequestInfo(request)))
    expect(finding).toMatchObject({ status, cure: expect.stringContaining(cure) })
  })
})

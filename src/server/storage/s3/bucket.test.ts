import { describe, expect, it } from 'vitest'
import { blockedMethods } from './bucket.ts'
import { requiredCorsRule } from './cors-rule.ts'

const origin = 'https://files.example.org'
const rule = requiredCorsRule(origin)

describe('methods blocked by CORS rules', () => {
  it.each([
    ['no rules', [], ['PUT', 'GET', 'HEAD']],
    ['the required rule', [rule], []],
    ['any origin', [{ ...rule, AllowedOrigins: ['*'] }], []],
    ['a matching pattern', [{ ...rule, AllowedOrigins: ['https://*.example.org'] }], []],
    ['any header', [{ ...rule, AllowedHeaders: ['*'] }], []],
    [
      'different case',
      [{ ...rule, AllowedHeaders: ['Content-Type', 'Content-MD5'], ExposeHeaders: ['ETag'] }],
      [],
    ],
    [
      'two complementary rules',
      [
        { ...rule, AllowedMethods: ['PUT'] },
        { ...rule, AllowedMethods: ['GET', 'HEAD'] },
      ],
      [],
    ],
    ['another origin', [{ ...rule, AllowedOrigins: ['https://x.org'] }], ['PUT', 'GET', 'HEAD']],
    [
      'a pattern for HTTP only',
      [{ ...rule, AllowedOrigins: ['http://*.example.org'] }],
      ['PUT', 'GET', 'HEAD'],
    ],
    ['no PUT', [{ ...rule, AllowedMethods: ['GET', 'HEAD'] }], ['PUT']],
    ['no allowed headers', [{ ...rule, AllowedHeaders: undefined }], ['PUT', 'GET', 'HEAD']],
    ['no Content-MD5', [{ ...rule, AllowedHeaders: ['content-type'] }], ['PUT', 'GET', 'HEAD']],
    ['no exposed headers', [{ ...rule, ExposeHeaders: undefined }], ['PUT', 'GET', 'HEAD']],
  ])('%s', (_, rules, blocked) => {
    expect(blockedMethods(rules, origin)).toEqual(blocked)
  })
})

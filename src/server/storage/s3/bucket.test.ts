import { describe, expect, it } from 'vitest'
import { refusedMethods } from './bucket.ts'
import { neededRule } from './cors-rule.ts'

const origin = 'https://files.example.org'
const rule = neededRule(origin)

describe('methods refused by CORS rules', () => {
  it.each([
    ['none', [], ['PUT', 'GET', 'HEAD']],
    ['the needed one', [rule], []],
    ['any origin', [{ ...rule, AllowedOrigins: ['*'] }], []],
    ['a pattern that has it', [{ ...rule, AllowedOrigins: ['https://*.example.org'] }], []],
    ['any header', [{ ...rule, AllowedHeaders: ['*'] }], []],
    [
      'other capitals',
      [{ ...rule, AllowedHeaders: ['Content-Type', 'Content-MD5'], ExposeHeaders: ['ETag'] }],
      [],
    ],
    [
      'two, one for each way',
      [
        { ...rule, AllowedMethods: ['PUT'] },
        { ...rule, AllowedMethods: ['GET', 'HEAD'] },
      ],
      [],
    ],
    ['another origin', [{ ...rule, AllowedOrigins: ['https://x.org'] }], ['PUT', 'GET', 'HEAD']],
    [
      'a pattern that has it not',
      [{ ...rule, AllowedOrigins: ['http://*.example.org'] }],
      ['PUT', 'GET', 'HEAD'],
    ],
    ['no PUT', [{ ...rule, AllowedMethods: ['GET', 'HEAD'] }], ['PUT']],
    ['no header', [{ ...rule, AllowedHeaders: undefined }], ['PUT', 'GET', 'HEAD']],
    ['no MD5', [{ ...rule, AllowedHeaders: ['content-type'] }], ['PUT', 'GET', 'HEAD']],
    ['nothing to read', [{ ...rule, ExposeHeaders: undefined }], ['PUT', 'GET', 'HEAD']],
  ])('%s', (_, rules, refused) => {
    expect(refusedMethods(rules, origin)).toEqual(refused)
  })
})

import { describe, expect, test } from 'vitest'
import { ConfigError, type Environment, readConfig } from './config.ts'

const awsEnvironment = { S3_BUCKET: 'files', S3_REGION: 'eu-central-1' }
const selfHostedEnvironment = { S3_BUCKET: 'files', S3_ENDPOINT: 'http://127.0.0.1:9000' }

function readS3Settings(environment: Environment) {
  return readConfig(environment).s3
}

function findProblems(environment: Environment): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('a bucket', () => {
  test('at AWS needs a region; the SDK finds the credentials', () => {
    expect(readS3Settings(awsEnvironment)).toEqual({
      bucket: 'files',
      region: 'eu-central-1',
      endpoint: null,
      publicEndpoint: null,
      credentials: null,
      forcePathStyle: false,
    })
  })

  test('elsewhere needs an endpoint and defaults to path-style URLs', () => {
    const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }
    const settings = {
      ...selfHostedEnvironment,
      ...keys,
      S3_PUBLIC_ENDPOINT: 'https://s3.example.org',
    }
    expect(readS3Settings(settings)).toEqual({
      bucket: 'files',
      region: 'us-east-1',
      endpoint: new URL('http://127.0.0.1:9000'),
      publicEndpoint: new URL('https://s3.example.org'),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      forcePathStyle: true,
    })
    expect(
      readS3Settings({ ...selfHostedEnvironment, S3_FORCE_PATH_STYLE: 'off' })?.forcePathStyle,
    ).toBe(false)
    expect(readS3Settings({ ...awsEnvironment, S3_FORCE_PATH_STYLE: 'on' })?.forcePathStyle).toBe(
      true,
    )
  })
})

test.each([
  [{ S3_REGION: 'x' }, 'S3_REGION is set, but no S3_BUCKET: name the bucket, or unset it'],
  [{ S3_BUCKET: 'files' }, /^S3_REGION is missing: .*S3_ENDPOINT for another storage$/],
  [
    { ...awsEnvironment, S3_ACCESS_KEY_ID: 'id' },
    /^S3_SECRET_ACCESS_KEY is missing: .*S3_ACCESS_KEY_ID/,
  ],
  [
    { ...awsEnvironment, S3_SECRET_ACCESS_KEY: 's' },
    /^S3_ACCESS_KEY_ID is missing: .*S3_SECRET_ACCESS_KEY/,
  ],
  [
    { ...awsEnvironment, S3_BUCKET: 'A_b' },
    'S3_BUCKET is "A_b": give the name of a bucket, or unset it',
  ],
  [{ ...awsEnvironment, S3_FORCE_PATH_STYLE: 'yes' }, /^S3_FORCE_PATH_STYLE is "yes"/],
  [
    { ...selfHostedEnvironment, S3_ENDPOINT: 'localhost:9000' },
    /^S3_ENDPOINT is "localhost:9000": give an address/,
  ],
  [{ ...selfHostedEnvironment, S3_ENDPOINT: 'http://a:b@c' }, /^S3_ENDPOINT is/],
  [{ ...selfHostedEnvironment, S3_PUBLIC_ENDPOINT: 'http://c/?x' }, /^S3_PUBLIC_ENDPOINT is/],
  [
    { ...selfHostedEnvironment, APP_URL: 'http://127.0.0.1:9000' },
    /^S3_ENDPOINT is at the origin of APP_URL/,
  ],
  [
    { ...selfHostedEnvironment, APP_URL: 'https://x.org' },
    /^S3_ENDPOINT is .* which browsers refuse .*https/,
  ],
])('%j is rejected with the remedy', (environment, problem) => {
  const problems = findProblems(environment)
  expect(problems).toHaveLength(1)
  if (typeof problem === 'string') expect(problems[0]).toBe(problem)
  else expect(problems[0]).toMatch(problem)
})

test('a bucket with a public https endpoint may have an internal http endpoint', () => {
  const settings = {
    ...selfHostedEnvironment,
    APP_URL: 'https://x.org',
    S3_PUBLIC_ENDPOINT: 'https://s3.x.org',
  }
  expect(findProblems(settings)).toEqual([])
})

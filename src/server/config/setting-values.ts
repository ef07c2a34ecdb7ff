import type { BlockList } from 'node:net'
import { z } from 'zod'
import { policiesForAll, type SignupPolicy } from '../../shared/rules/accounts/signup-policy.ts'
import { nearby, readNetworks } from '../http/client-address.ts'

/**
 * Makes the error for a wrong value that may be shown. It says what the value is and what it should
 * be.
 */
export function shown(cure: string) {
  return {
    error: (issue: { input?: unknown }) => `is ${JSON.stringify(issue.input)}: ${cure}`,
  }
}

/** Makes the error for a wrong value that is secret. It only says what the value should be. */
export function hidden(cure: string) {
  return { error: `cannot be used: ${cure}` }
}

const words = ['on', 'off', 'true', 'false']
function isOn(value: string) {
  return value === 'on' || value === 'true'
}

/** Returns a schema that reads `on` or `off` as a boolean, and `fallback` when it is not set. */
export function onOff(fallback: 'on' | 'off') {
  return z
    .enum(words, shown(`write on or off, or unset it for ${fallback}`))
    .default(fallback)
    .transform(isOn)
}

/**
 * Returns a schema that reads `on` or `off` as a boolean. It gives undefined when it is not set.
 */
export function maybeOnOff() {
  return z.enum(words, shown('write on or off, or unset it')).transform(isOn).optional()
}

const sizeUnits = ['', 'KiB', 'MiB', 'GiB', 'TiB']
const sizePattern = new RegExp(`^(\\d{1,12})(${sizeUnits.join('|')})$`)

/**
 * Returns a schema that reads a size, with a unit such as MiB or without one, and gives it in
 * bytes. It gives null when the setting is not set.
 * @param fallback tells, in the text of an error, which size applies when the setting is not set.
 */
export function byteSize(fallback: string) {
  return z
    .string()
    .regex(sizePattern, shown(`give a size such as 512MiB, or 0, or unset it for ${fallback}`))
    .transform((text) => {
      const [, number, unit = ''] = sizePattern.exec(text) ?? []
      return Number(number) * 1024 ** sizeUnits.indexOf(unit)
    })
    .nullable()
    .default(null)
}

const domain = '(?:[a-z\\d](?:[a-z\\d-]*[a-z\\d])?\\.)+[a-z]{2,}'
const domains = `${domain}(?:\\s*,\\s*${domain})*`
const policyPattern = new RegExp(`^(?:${policiesForAll.join('|')}|${domains})$`, 'i')

/**
 * Reads who may sign up: `open`, `closed`, or domains with commas between them, in upper or lower
 * case. It is `open` when it is not set.
 */
export function signupPolicy() {
  return z
    .string()
    .regex(
      policyPattern,
      shown('write open, closed, or domains such as example.org,example.com, or unset it for open'),
    )
    .default('open')
    .transform((text): SignupPolicy => {
      const policy = text.toLowerCase()
      return policiesForAll.find((known) => known === policy) ?? policy.split(/\s*,\s*/)
    })
}

/** Reads which proxies are trusted: `on`, `off`, or addresses and networks. null means none. */
export function trustedProxies() {
  const advice = 'write on, off, or addresses and networks such as 127.0.0.1,10.0.0.0/8'
  return z
    .string()
    .default('off')
    .transform((text, context): BlockList | null => {
      if (words.includes(text)) return isOn(text) ? nearby : null
      const networks = readNetworks(text.split(/\s*,\s*/))
      if (networks === null) {
        const message = `is ${JSON.stringify(text)}: ${advice}, or unset it for off`
        context.addIssue({ code: 'custom', message, input: text })
      }
      return networks
    })
}

/** Reads a whole number of seconds, from 0 to 10 minutes. */
export function seconds(fallback: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,3}$/.test(text) && Number(text) <= 600,
      shown(`give a whole number of seconds from 0 to 600, or unset it for ${fallback}`),
    )
    .default(String(fallback))
    .transform(Number)
}

/**
 * The least length of the server's secret, in characters. The secret signs session cookies and the
 * presigned URLs of files on the disk. It is `AUTH_SECRET`, or else the text of the file `secret`
 * in the data folder. The server does not start with a shorter one.
 */
export const minSecretLength = 32

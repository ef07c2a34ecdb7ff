import type { BlockList } from 'node:net'
import { z } from 'zod'
import { fixedPolicies, type SignupPolicy } from '../../shared/rules/accounts/signup-policy.ts'
import { privateNetworks, readNetworks } from '../http/client-address.ts'

/** Returns the error for an invalid value. Its message includes the value. */
export function invalid(remedy: string) {
  return {
    error: (issue: { input?: unknown }) => `is ${JSON.stringify(issue.input)}: ${remedy}`,
  }
}

/** Returns the error for an invalid secret. Its message doesn't include the secret. */
export function invalidSecret(remedy: string) {
  return { error: `cannot be used: ${remedy}` }
}

const switchValues = ['on', 'off', 'true', 'false']
function isOn(value: string) {
  return value === 'on' || value === 'true'
}

/** Parses `on` or `off`. */
export function onOff(fallback: 'on' | 'off') {
  return z
    .enum(switchValues, invalid(`write on or off, or unset it for ${fallback}`))
    .default(fallback)
    .transform(isOn)
}

/** Parses `on` or `off`; undefined if unset. */
export function optionalOnOff() {
  return z.enum(switchValues, invalid('write on or off, or unset it')).transform(isOn).optional()
}

const sizeUnits = ['', 'KiB', 'MiB', 'GiB', 'TiB']
const sizePattern = new RegExp(`^(\\d{1,12})(${sizeUnits.join('|')})$`)

/**
 * Parses a size such as `512MiB` into bytes, and an unset size into null.
 * @param fallback the size used if it is unset, as stated in the error message.
 */
export function byteSize(fallback: string) {
  return z
    .string()
    .regex(sizePattern, invalid(`give a size such as 512MiB, or 0, or unset it for ${fallback}`))
    .transform((text) => {
      const [, number, unit = ''] = sizePattern.exec(text) ?? []
      return Number(number) * 1024 ** sizeUnits.indexOf(unit)
    })
    .nullable()
    .default(null)
}

const domain = '(?:[a-z\\d](?:[a-z\\d-]*[a-z\\d])?\\.)+[a-z]{2,}'
const domains = `${domain}(?:\\s*,\\s*${domain})*`
const policyPattern = new RegExp(`^(?:${fixedPolicies.join('|')}|${domains})$`, 'i')

/** Parses a signup policy: `open`, `closed`, or a list of email domains. */
export function signupPolicy() {
  return z
    .string()
    .regex(
      policyPattern,
      invalid(
        'write open, closed, or domains such as example.org,example.com, or unset it for open',
      ),
    )
    .default('open')
    .transform((text): SignupPolicy => {
      const policy = text.toLowerCase()
      return fixedPolicies.find((fixedPolicy) => fixedPolicy === policy) ?? policy.split(/\s*,\s*/)
    })
}

/** Parses the trusted proxies: `on`, `off`, or addresses and networks; null for none. */
export function trustedProxies() {
  const remedy = 'write on, off, or addresses and networks such as 127.0.0.1,10.0.0.0/8'
  return z
    .string()
    .default('off')
    .transform((text, context): BlockList | null => {
      if (switchValues.includes(text)) return isOn(text) ? privateNetworks : null
      const networks = readNetworks(text.split(/\s*,\s*/))
      if (networks === null) {
        const message = `is ${JSON.stringify(text)}: ${remedy}, or unset it for off`
        context.addIssue({ code: 'custom', message, input: text })
      }
      return networks
    })
}

/** Parses a whole number of seconds, up to 10 minutes. */
export function seconds(fallback: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,3}$/.test(text) && Number(text) <= 600,
      invalid(`give a whole number of seconds from 0 to 600, or unset it for ${fallback}`),
    )
    .default(String(fallback))
    .transform(Number)
}

/** The minimum length of the secret (AUTH_SECRET or the file `secret`), in characters. */
export const minSecretLength = 32

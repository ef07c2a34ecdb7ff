import { z } from 'zod'

/** A value that may be shown: says what it is and what it should be. */
export function shown(cure: string) {
  return {
    error: (issue: { input?: unknown }) => `is ${JSON.stringify(issue.input)}: ${cure}`,
  }
}

/** A value nobody may see: says only what it should be. */
export function hidden(cure: string) {
  return { error: `cannot be used: ${cure}` }
}

const words = ['on', 'off', 'true', 'false']
function isOn(value: string) {
  return value === 'on' || value === 'true'
}

/** A switch that is `fallback` where it is not set. */
export function onOff(fallback: 'on' | 'off') {
  return z
    .enum(words, shown(`write on or off, or unset it for ${fallback}`))
    .default(fallback)
    .transform(isOn)
}

/** A switch that may be left to something else; undefined where it is not set. */
export function maybeOnOff() {
  return z.enum(words, shown('write on or off, or unset it')).transform(isOn).optional()
}

const sizeUnits = ['', 'KiB', 'MiB', 'GiB', 'TiB']
const sizePattern = new RegExp(`^(\\d{1,12})(${sizeUnits.join('|')})$`)

/** A size in bytes, written with a unit such as MiB or without one; null where it is not set. */
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

import fc, { type StringConstraints } from 'fast-check'

/** Any code point except surrogates. fast-check's own unit takes seconds of CPU time to set up. */
const codePoint = fc
  .nat(0x10_ffff - 0x800)
  .map((value) => String.fromCodePoint(value < 0xd800 ? value : value + 0x800))

/** Any Unicode text, in tests of properties. */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}) {
  return fc.string({ unit: codePoint, ...constraints })
}

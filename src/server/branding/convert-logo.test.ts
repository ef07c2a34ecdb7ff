import { expect, it } from 'vitest'
import { solidPng } from '../../../tests/support/pictures.ts'
import { logoConverter } from './convert-logo.ts'

it('rejects the 17th image in the queue, and accepts images again once the queue is empty', async () => {
  const convert = logoConverter()
  const png = await solidPng({ width: 10, height: 10 })
  const conversions = Array.from({ length: 16 }, () => convert(png))
  expect(() => convert(png)).toThrow(expect.objectContaining({ code: 'LOGOS_BUSY' }))
  await Promise.all(conversions)
  expect(await convert(png)).toMatchObject({ width: 10, height: 10 })
})

it('continues after an unreadable image', async () => {
  const convert = logoConverter()
  const brokenConversion = convert(Buffer.from('no image'))
  const intactConversion = convert(await solidPng({ width: 10, height: 10 }))
  await expect(brokenConversion).rejects.toMatchObject({ code: 'LOGO_UNREADABLE' })
  expect(await intactConversion).toMatchObject({ width: 10 })
})

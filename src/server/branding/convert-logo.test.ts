import { expect, it } from 'vitest'
import { makeSolidPng } from '../../../tests/support/pictures.ts'
import { createLogoConverter } from './convert-logo.ts'

it('rejects the 17th image in the queue, and accepts images again once the queue is empty', async () => {
  const convert = createLogoConverter()
  const png = await makeSolidPng({ width: 10, height: 10 })
  const conversionPromises = Array.from({ length: 16 }, () => convert(png))
  expect(() => convert(png)).toThrow(expect.objectContaining({ code: 'LOGOS_BUSY' }))
  await Promise.all(conversionPromises)
  expect(await convert(png)).toMatchObject({ width: 10, height: 10 })
})

it('continues after an unreadable image', async () => {
  const convert = createLogoConverter()
  const brokenLogoPromise = convert(Buffer.from('no image'))
  const intactLogoPromise = convert(await makeSolidPng({ width: 10, height: 10 }))
  await expect(brokenLogoPromise).rejects.toMatchObject({ code: 'LOGO_UNREADABLE' })
  expect(await intactLogoPromise).toMatchObject({ width: 10 })
})

// @vitest-environment happy-dom
import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  errorResponse,
  openPage,
  unauthorized,
  type WebPage,
} from '../../../tests/support/web-page.ts'
import type { Brand } from '../../shared/contract/branding.ts'
import { BrandingForm } from './branding-form.tsx'

const saveEndpoint = 'PUT /api/branding'
const savedBrand: Brand = { name: 'Ada & Co', accent: '#0b6e63', message: 'Hello', logoUrl: null }

let page: WebPage
beforeEach(() => {
  page = openPage()
})
afterEach(() => page.close())

function show(brand: Brand | null = null) {
  page.show(<BrandingForm saved={brand} />)
}
function getField(name: string) {
  return document.querySelector<HTMLInputElement>(`[name="${name}"]`) as HTMLInputElement
}
function fillIn(texts: Record<string, string>) {
  for (const [name, value] of Object.entries(texts)) {
    fireEvent.change(getField(name), { target: { value } })
  }
}
async function press(name: string) {
  await act(async () => fireEvent.click(screen.getByRole('button', { name })))
}
function getSavedBodies() {
  return page.requests.filter(({ call }) => call === saveEndpoint).map(({ body }) => body)
}

test('saves the brand and shows the trimmed texts', async () => {
  page.on(saveEndpoint, () => savedBrand)
  show()
  fillIn({ name: '  Ada & Co  ', message: ' Hello \n', accent: ' #0B6E63 ' })
  await press('Save branding')
  await expect.poll(page.text).toContain('Branding savedYour download pages show it now.')
  expect(getSavedBodies()).toEqual([{ name: 'Ada & Co', accent: '#0b6e63', message: 'Hello' }])
  expect(getField('name').value).toBe('Ada & Co')
  expect(getField('accent').value).toBe('#0b6e63')
})

test('an empty color selects Mayfly’s accent color', async () => {
  page.on(saveEndpoint, () => savedBrand)
  show(savedBrand)
  fillIn({ accent: '  ' })
  await press('Save branding')
  await expect.poll(getSavedBodies).toEqual([{ name: 'Ada & Co', accent: null, message: 'Hello' }])
})

test.each([
  [{ name: ' ' }, 'name', 'Please enter a name.'],
  [{ accent: 'green' }, 'accent', 'Must be a color such as #0b6e63.'],
  [{ message: 'a\n\nb\n\nc\n\nd\n\ne' }, 'message', 'Must have 8 lines at most.'],
])(
  '%j is rejected before sending, with an error on the field',
  async (texts, name, expectedError) => {
    show(savedBrand)
    fillIn(texts)
    await press('Save branding')
    expect(getField(name).getAttribute('aria-invalid')).toBe('true')
    expect(page.text()).toContain(expectedError)
    expect(page.requests).toEqual([])
  },
)

test('correcting a field clears its error', async () => {
  page.on(saveEndpoint, () => savedBrand)
  show()
  await press('Save branding')
  expect(page.text()).toContain('Please enter a name.')
  fillIn({ name: 'Ada' })
  await press('Save branding')
  await expect.poll(page.text).toContain('Branding saved')
  expect(page.text()).not.toContain('Please enter a name.')
})

describe('if saving fails', () => {
  test.each([
    [
      'shows the server’s message',
      () => errorResponse(403, 'TIER_BRANDING', 'Premium only.'),
      'Premium only.',
    ],
    ['is the default text', () => errorResponse(500), 'Please try again.'],
    [
      'names the failed connection',
      () => Promise.reject(new TypeError('Failed to fetch')),
      'Please check your connection and try again',
    ],
  ])('the error %s, and the form keeps its values', async (_, response, expectedText) => {
    page.on(saveEndpoint, response)
    show()
    fillIn({ name: 'Ada' })
    await press('Save branding')
    await expect.poll(page.text).toContain(`Branding not saved${expectedText}`)
    expect(getField('name').value).toBe('Ada')
  })

  test('because the session ended, only the session toast is shown', async () => {
    page.on(saveEndpoint, unauthorized)
    show(savedBrand)
    await press('Save branding')
    await expect.poll(page.signOutCount).toBe(1)
    expect(page.text()).not.toContain('not saved')
  })
})

describe('removing the brand', () => {
  test('asks for confirmation, and is possible only for a saved brand', async () => {
    show()
    expect(screen.queryByRole('button', { name: 'Remove branding' })).toBeNull()
    page.close()
    page = openPage()
    show(savedBrand)
    await press('Remove branding')
    const dialog = await screen.findByRole('alertdialog')
    expect(dialog.textContent).toContain('Remove your branding?')
    expect(page.requests).toEqual([])
  })

  test('clears the fields', async () => {
    page.on('DELETE /api/branding', () => ({ message: '' }))
    show(savedBrand)
    await press('Remove branding')
    await press('Remove')
    await expect.poll(page.text).toContain('Branding removed')
    expect([getField('name').value, getField('message').value, getField('accent').value]).toEqual([
      '',
      '',
      '',
    ])
  })

  test('shows an error and keeps the values if it fails', async () => {
    page.on('DELETE /api/branding', () => errorResponse(500))
    show(savedBrand)
    await press('Remove branding')
    await press('Remove')
    await expect.poll(page.text).toContain('Branding not removed')
    expect(getField('name').value).toBe('Ada & Co')
  })
})

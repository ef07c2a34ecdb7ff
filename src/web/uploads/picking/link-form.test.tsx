// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LinkChoice, type LinkForm, LinkOptionFields, useLinkForm } from './link-form.tsx'

beforeEach(() => localStorage.clear())
afterEach(cleanup)

let form: LinkForm
function TestForm() {
  form = useLinkForm()
  return (
    <>
      <LinkChoice form={form} />
      <LinkOptionFields form={form} />
    </>
  )
}

const pressUnfold = () => fireEvent.click(screen.getByRole('button', { name: /^Title, message/ }))
async function unfold() {
  pressUnfold()
  await screen.findByLabelText('Title')
}
const enter = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
function read(): ReturnType<LinkForm['read']> {
  return act(() => form.read())
}

test('several files share a link unless the user chooses otherwise, which is remembered', async () => {
  render(<TestForm />)
  expect(await read()).toEqual({ isOneLink: true })
  fireEvent.click(screen.getByRole('radio', { name: 'A link each' }))
  expect(await read()).toEqual({ isOneLink: false })
  cleanup()
  render(<TestForm />)
  expect(await read()).toEqual({ isOneLink: false })
})

test('the options apply to the next upload, which then gets one link', async () => {
  localStorage.setItem('mayfly-links', 'each')
  render(<TestForm />)
  await unfold()
  enter('Title', 'Trip')
  enter('Password for the link', ' a b ')
  enter('Download limit', '5')
  expect(await read()).toEqual({
    isOneLink: true,
    options: { title: 'Trip', password: ' a b ', maxDownloads: 5 },
  })
  pressUnfold()
  expect(screen.getByRole('button', { name: /3 set$/ })).toBeDefined()
  act(() => form.reset())
  expect(await read()).toEqual({ isOneLink: false })
})

test.each([
  ['Download limit', '0', 'Enter a whole number from 1 to 1,000,000.'],
  ['Download limit', '1.5', 'Enter a whole number from 1 to 1,000,000.'],
  ['Title', '\u200b', 'Must be one line of text.'],
])('an invalid %s (%j) is explained, and nothing starts', async (label, value, message) => {
  render(<TestForm />)
  await unfold()
  enter(label, value)
  pressUnfold()
  expect(await read()).toBeNull()
  expect(document.body.textContent).toContain(message)
})

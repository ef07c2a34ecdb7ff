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

const unfold = () => fireEvent.click(screen.getByRole('button', { name: /^Title, message/ }))
const enter = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
function read(): ReturnType<LinkForm['read']> {
  let newLinks: ReturnType<LinkForm['read']> = null
  act(() => {
    newLinks = form.read()
  })
  return newLinks
}

test('several files share a link unless the user chooses otherwise, which is remembered', () => {
  render(<TestForm />)
  expect(read()).toEqual({ isOneLink: true })
  fireEvent.click(screen.getByRole('radio', { name: 'A link each' }))
  expect(read()).toEqual({ isOneLink: false })
  cleanup()
  render(<TestForm />)
  expect(read()).toEqual({ isOneLink: false })
})

test('the options apply to the next upload, which then gets one link', () => {
  localStorage.setItem('mayfly-links', 'each')
  render(<TestForm />)
  unfold()
  enter('Title', 'Trip')
  enter('Password for the link', ' a b ')
  enter('Download limit', '5')
  expect(read()).toEqual({
    isOneLink: true,
    options: { title: 'Trip', password: ' a b ', maxDownloads: 5 },
  })
  unfold()
  expect(screen.getByRole('button', { name: /3 set$/ })).toBeDefined()
  act(() => form.reset())
  expect(read()).toEqual({ isOneLink: false })
})

test.each([
  ['Download limit', '0', 'Enter a whole number from 1 to 1,000,000.'],
  ['Download limit', '1.5', 'Enter a whole number from 1 to 1,000,000.'],
  ['Title', '\u200b', 'Must be one line of text.'],
])('an invalid %s (%j) is explained, and nothing starts', (label, value, message) => {
  render(<TestForm />)
  unfold()
  enter(label, value)
  unfold()
  expect(read()).toBeNull()
  expect(document.body.textContent).toContain(message)
})

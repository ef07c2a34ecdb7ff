// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { isEditable } from './is-editable.ts'

function targetOf(html: string): Element | null {
  const body = document.createElement('body')
  body.innerHTML = html
  return body.querySelector('[data-target]')
}

test.each([
  '<input data-target>',
  '<input type="email" data-target>',
  '<textarea data-target></textarea>',
  '<select><option data-target>3 days</option></select>',
  '<div contenteditable><p><b data-target>text</b></p></div>',
  '<div contenteditable="true"><b data-target>text</b></div>',
])('a field takes what is dropped or pasted on %s', (html) => {
  expect(isEditable(targetOf(html))).toBe(true)
})

test.each([
  '<p data-target>text</p>',
  '<button data-target>Choose files</button>',
  '<div contenteditable="false"><b data-target>text</b></div>',
  ...['button', 'checkbox', 'file', 'radio', 'range', 'reset', 'submit'].map(
    (type) => `<input type="${type}" data-target>`,
  ),
])('the page takes what is dropped or pasted on %s', (html) => {
  expect(targetOf(html)).not.toBeNull()
  expect(isEditable(targetOf(html))).toBe(false)
})

test('the page takes what comes from no element', () => {
  expect(isEditable(null)).toBe(false)
  expect(isEditable(window)).toBe(false)
})

export interface TestClipboard {
  copiedTexts: string[]
  shouldFail: boolean
  close(): void
}

/** Replaces the page's clipboard, because happy-dom implements only part of it. */
export function openClipboard(): TestClipboard {
  const clipboard: TestClipboard = {
    copiedTexts: [],
    shouldFail: false,
    close() {
      Reflect.deleteProperty(navigator, 'clipboard')
      Reflect.deleteProperty(document, 'execCommand')
    },
  }
  const writeText = async (text: string) => {
    if (clipboard.shouldFail) throw new DOMException('refused', 'NotAllowedError')
    clipboard.copiedTexts.push(text)
  }
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
  // When the clipboard fails, the app falls back to `execCommand`, so that must fail too.
  Object.assign(document, { execCommand: () => false })
  return clipboard
}

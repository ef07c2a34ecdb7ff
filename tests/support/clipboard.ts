/** A fake clipboard for a happy-dom page. */
export interface TestClipboard {
  copied: string[]
  /** If true, copying fails. */
  refuses: boolean
  /** Restores the original clipboard. */
  close(): void
}

/** Replaces the page's clipboard, which happy-dom implements only partly. */
export function openClipboard(): TestClipboard {
  const clipboard: TestClipboard = {
    copied: [],
    refuses: false,
    close() {
      Reflect.deleteProperty(navigator, 'clipboard')
      Reflect.deleteProperty(document, 'execCommand')
    },
  }
  const writeText = async (text: string) => {
    if (clipboard.refuses) throw new DOMException('refused', 'NotAllowedError')
    clipboard.copied.push(text)
  }
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
  // The app's fallback, which fails too.
  Object.assign(document, { execCommand: () => false })
  return clipboard
}

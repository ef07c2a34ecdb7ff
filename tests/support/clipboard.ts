/** The clipboard of a happy-dom page. */
export interface TestClipboard {
  /** The copied texts. */
  copied: string[]
  /** Makes copying fail. */
  refuses: boolean
  /** Restores the page's own clipboard. */
  close(): void
}

/** Replaces the page's clipboard, which is incomplete in happy-dom. */
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
  // The fallback that pages try; it fails too.
  Object.assign(document, { execCommand: () => false })
  return clipboard
}

import { createBrowserKeptFiles, type KeptFile } from '../../uploads/kept/kept-files.ts'
import { type Drop, dropError } from '../../uploads/picking/dropped-files.ts'
import { chooseFile } from '../../uploads/picking/file-picker.ts'
import { listenForDrops } from '../../uploads/picking/page-drop.ts'
import { describeFiles, keepErrorText, tooLargeText } from './drop-texts.ts'

/** Returns the drop zone's elements, or null on pages without a drop zone. */
function findDropZone() {
  const findById = (id: string) => document.getElementById(id)
  const [zone, title, text] = [findById('drop'), findById('drop-title'), findById('drop-text')]
  const [choose, remove, continueLink] = [findById('choose'), findById('remove'), findById('go-on')]
  if (!zone || !title || !text || !choose || !remove || !continueLink) return null
  return { zone, title, text, choose, remove, continueLink }
}

/**
 * Makes the drop zone work: stores dropped or chosen files in the browser and follows the link
 * `go-on`. If a file can't be stored, the page stays open and explains why.
 */
export function enableDropZone(): void {
  const elements = findDropZone()
  if (elements === null) return
  const keptFiles = createBrowserKeptFiles()
  const { zone, title, text, choose, remove, continueLink } = elements
  const initialContent = { title: [...title.childNodes], text: text.textContent }
  const getStartedButton = document.querySelector('.go .primary')
  let isBusy = false

  const updateZone = (waitingFiles: readonly KeptFile[], error = '') => {
    const hasWaitingFiles = waitingFiles.length > 0
    if (hasWaitingFiles)
      title.textContent = `${describeFiles(waitingFiles.map(({ file }) => file))} ${waitingFiles.length === 1 ? 'is' : 'are'} waiting`
    else title.replaceChildren(...initialContent.title)
    text.textContent = error || initialContent.text
    remove.hidden = !hasWaitingFiles
    continueLink.hidden = !hasWaitingFiles && error === ''
    // A page has only one primary action. While files are waiting, it is the link to continue with
    // them.
    getStartedButton?.classList.toggle('primary', continueLink.hidden)
    zone.classList.toggle('error', error !== '')
  }

  const handleDrop = async (drop: Drop) => {
    if (isBusy) return
    isBusy = true
    title.textContent = `Keeping ${describeFiles(drop.files.map(({ file }) => file))}...`
    const error = await storeFiles(drop)
    isBusy = false
    updateZone(await keptFiles.list(), error)
    if (error === '') location.assign(continueLink.getAttribute('href') ?? '/login')
  }

  /** Stores dropped files. Returns a message about those that can't be stored. */
  const storeFiles = async (drop: Drop) => {
    const files = drop.files.map(({ file }) => file)
    const tooLargeFiles = files.filter(({ size }) => size > Number(zone.dataset.largest))
    const allowedFiles = files.filter((file) => !tooLargeFiles.includes(file))
    const error = await keptFiles.keep(allowedFiles)
    const readError = dropError(drop)
    return [
      readError && `${readError.title}: ${readError.description}`,
      tooLargeText(tooLargeFiles, zone.dataset.limit ?? ''),
      error && keepErrorText(allowedFiles, error),
    ]
      .filter(Boolean)
      .join(' ')
  }

  choose.addEventListener('click', async () => {
    const chosenDrop = await chooseFile()
    if (chosenDrop) await handleDrop(chosenDrop)
  })
  remove.addEventListener('click', async () => {
    await keptFiles.remove((await keptFiles.list()).map(({ id }) => id))
    updateZone([])
    choose.focus()
  })
  listenForDrops({
    onDragging: (isDragging) => zone.classList.toggle('dragging', isDragging),
    onDrop: (drop) => void handleDrop(drop),
  })
  // When the user navigates back to this page, the browser may restore outdated content.
  addEventListener('pageshow', async () => {
    if (!isBusy) updateZone(await keptFiles.list())
  })
}

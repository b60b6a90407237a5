// The console's frame; its views come with the next changes.
export function App() {
  return (
    <main>
      <h1>Sayso</h1>
    </main>
  );
}

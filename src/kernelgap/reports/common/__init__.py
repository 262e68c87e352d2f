"""What all pages share: charts, axes, colours, rendering."""

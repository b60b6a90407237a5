"""How nine languages say things: yes and no, orders, and the values that a message gives."""
